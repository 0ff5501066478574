"""The table of data files: where each is looked for, its sha256, where it comes from, its licence.

Add a file by adding a line to :data:`FILES`. The paths are relative to any folder of
:func:`paper_figures.data.fetch.search_path`.
"""

from dataclasses import dataclass

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist/"
ARFF = "https://raw.githubusercontent.com/renatopp/arff-datasets/c59f172882592bb58982cc54d2d3c8a2b57e9b73/"
ADBENCH = (
    "https://raw.githubusercontent.com/Minqi824/ADBench/5d38cd06091ad196c10e9203ee5dec1d6ae089a3/"
)
CC_BY = "CC BY 4.0"


@dataclass(frozen=True)
class DataFile:
    """One file of a data set.

    Attributes
    ----------
    name : str
        Path relative to the data folder, with forward slashes.
    sha256 : str or None
        What the file must hash to; None for a file that only its user can supply.
    url : str or None
        The address it is downloaded from; None if it has to be put in place by hand.
    licence : str
        As far as it is stated.
    note : str
        What is special about it, such as a re-encoding of the official file.
    """

    name: str
    sha256: str | None
    url: str | None
    licence: str
    note: str = ""


_LUMA = (
    "the Y channel of JPEG copies (quality 75) of CIFAR-10, www.cs.toronto.edu/~kriz/cifar.html, "
    "class by class"
)
_REENCODED = "a re-encoding of UCI's file, so UCI's own copy has another sha256"

_TABLE = (
    # MNIST
    DataFile(
        "mnist/train-images-idx3-ubyte.gz",
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        MNIST + "train-images-idx3-ubyte.gz",
        "not stated",
    ),
    DataFile(
        "mnist/train-labels-idx1-ubyte.gz",
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        MNIST + "train-labels-idx1-ubyte.gz",
        "not stated",
    ),
    DataFile(
        "mnist/t10k-images-idx3-ubyte.gz",
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        MNIST + "t10k-images-idx3-ubyte.gz",
        "not stated",
    ),
    DataFile(
        "mnist/t10k-labels-idx1-ubyte.gz",
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        MNIST + "t10k-labels-idx1-ubyte.gz",
        "not stated",
    ),
    # Amores, Sebe & Radeva (2006), Table 1
    DataFile(
        "gender/gender.npz",
        None,
        None,
        "the AR and XM2VTS face databases are licensed by their owners",
        "arrays X (n x 784, grey values) and y (n, 0 or 1)",
    ),
    DataFile(
        "uci/ad/17_InternetAds.npz",
        "bdd8ad5cf5bf2cb96cba53dde30d522d0f6a279083a8e2bc7efbac5981b04385",
        ADBENCH + "datasets/17_InternetAds.npz",
        CC_BY,
        "a substitute made by ADBench from UCI's ad.data: distinct binary rows, "
        "geometry columns dropped",
    ),
    DataFile(
        "uci/arrhythmia/arrhythmia.data",
        "a7f0f4ca289a4c58b5ed85a9adb793189acd38425828ce3dfbb70adb45f30169",
        UCI + "arrhythmia/arrhythmia.data",
        CC_BY,
    ),
    DataFile(
        "uci/splice/splice.arff",
        "7e9b1b59c6731059f40bf16874fcac85af43fa65504b05cc6517b1a4c70fd99a",
        ARFF + "classification/splice.arff",
        CC_BY,
        _REENCODED,
    ),
    DataFile(
        "uci/sonar/sonar.all-data",
        "e90434cdbf00fcf93ffa911fe447ae25606979658e60f1d32e155c3b5240234d",
        UCI + "undocumented/connectionist-bench/sonar/sonar.all-data",
        CC_BY,
    ),
    DataFile(
        "uci/spectf/spectf.train.arff",
        "31b1dea2950121b98fe883ab5a29c5ff69632965b2a0e052714b06e55db51a6c",
        ARFF + "classification/spectf.train.arff",
        CC_BY,
        _REENCODED,
    ),
    DataFile(
        "uci/spectf/spectf.test.arff",
        "2dd3478a2b498c756fb00db30d72ed5a2592349c1075470b64423f87af80f50c",
        ARFF + "classification/spectf.test.arff",
        CC_BY,
        _REENCODED + "; it holds the older, 269-row test part",
    ),
    DataFile(
        "uci/ionosphere/ionosphere.data",
        "46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd",
        UCI + "ionosphere/ionosphere.data",
        CC_BY,
    ),
    DataFile(
        "uci/breast-cancer-wisconsin/wdbc.data",
        "d606af411f3e5be8a317a5a8b652b425aaf0ff38ca683d5327ffff94c3695f4a",
        UCI + "breast-cancer-wisconsin/wdbc.data",
        CC_BY,
    ),
    DataFile(
        "uci/breast-cancer-wisconsin/breast-cancer-wisconsin.data",
        "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64",
        UCI + "breast-cancer-wisconsin/breast-cancer-wisconsin.data",
        CC_BY,
    ),
    DataFile(
        "uci/german/german.data-numeric",
        "2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8",
        UCI + "statlog/german/german.data-numeric",
        CC_BY,
    ),
    DataFile(
        "uci/voting/house-votes-84.data",
        "c87c14110a5ba91d4a1e313ec7392824458152bf071fa5f5452340488337936e",
        UCI + "voting-records/house-votes-84.data",
        CC_BY,
    ),
    DataFile(
        "uci/credit-screening/crx.data",
        "fff49bc186cbddb3ace7371d40d9fbbb3af4f126019c13ff3f562249b1454f4d",
        UCI + "credit-screening/crx.data",
        CC_BY,
    ),
    DataFile(
        "uci/pima/pima-indians-diabetes.data",
        "06f5b7c2cd7bca686fda4f92eab5f61e7ff6426a9acefa2e3dda04fc54293cf5",
        None,
        "not stated",
        "UCI has withdrawn pima-indians-diabetes/pima-indians-diabetes.data; "
        "copies of it are widespread",
    ),
    DataFile(
        "uci/liver-disorders/bupa.data",
        "a166a3e7a6f4dc41aaaedc59a107e57d8adcaeb8821f0873d756982f1ea74c92",
        UCI + "liver-disorders/bupa.data",
        CC_BY,
    ),
    # Weinberger & Saul (2008)
    DataFile(
        "uci/letter/letter-recognition.data",
        "2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2",
        UCI + "letter-recognition/letter-recognition.data",
        CC_BY,
    ),
    DataFile(
        "uci/isolet/isolet1+2+3+4.data",
        "aa935cc98ec22ee689aa5b2ddf1fdce074692f7016f0255f0982df133ccbab38",
        None,
        CC_BY,
        "UCI offers it compressed, as isolet1+2+3+4.data.Z: unpack it",
    ),
    DataFile(
        "uci/isolet/isolet5.data",
        "d3409bb424f2bf9a68d0d07d4824b1d776b430d2e49c1207f00502a9e2f2a899",
        None,
        CC_BY,
        "UCI offers it compressed, as isolet5.data.Z: unpack it",
    ),
    DataFile(
        "yaleb/YaleB_32x32.mat",
        "3fbbda4eb781b9bb28025189677b6727706e114eb0215bbfd718f1f4fcb54b99",
        None,
        "for research",
        "on Deng Cai's page, www.cad.zju.edu.cn/home/dengcai/Data/FaceData.html, over http only",
    ),
    DataFile(
        "20news/20news-bydate-repacked.tar.gz",
        "67d14052fecb40def4324a25d2990edec163123df91fdb825a0a400427cd8467",
        None,
        "not stated",
        "20news-bydate.tar.gz of qwone.com/~jason/20Newsgroups, packed again: entries sorted, "
        "times zero",
    ),
    # Kar & Jain (2011)
    DataFile(
        "uci/cod-rna/cod-rna",
        "65b7cc0689fc29bba5db8b50fab0b6446d985f4bf8f6f5dd474f7df8b2f1ab6c",
        "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/cod-rna",
        "not stated",
    ),
    DataFile(
        "uci/magic/magic04.data",
        "e9314b7ebd4b4b59a3b3d65f7316663963777b16a46786877651dbbaa640b36a",
        UCI + "magic/magic04.data",
        CC_BY,
    ),
    DataFile(
        "uci/pendigits/pendigits.tra",
        "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3",
        UCI + "pendigits/pendigits.tra",
        CC_BY,
    ),
    DataFile(
        "uci/pendigits/pendigits.tes",
        "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015",
        UCI + "pendigits/pendigits.tes",
        CC_BY,
    ),
    DataFile(
        "uci/nursery/nursery.data",
        "8e0389c3dd37590248a921c2726d869ee96b817761a35eb8416afa24f31f931d",
        UCI + "nursery/nursery.data",
        CC_BY,
    ),
    DataFile(
        "uci/faults/Faults.NNA",
        "08994f5b0185a8e6cc22afe9910fd36834990fb1ca30852ed79012a832fbff55",
        UCI + "00198/Faults.NNA",
        CC_BY,
    ),
    DataFile(
        "uci/mfeat/mfeat-pix",
        "18aba069947f58f64d4cd7095593149bad1e3b8a6288d9bb2e8461d79f5f2123",
        None,
        CC_BY,
        "UCI's mfeat/mfeat-pix without its last newline: another sha256",
    ),
    DataFile(
        "uci/mfeat/mfeat-zernike.csv",
        "80b36c9429ed89cfb23a0dd2f7b1b6e937ae11fc7b906c954c8817210c1cc401",
        None,
        CC_BY,
        "OpenML 22 as comma separated values, a re-encoding of UCI's mfeat/mfeat-zer",
    ),
    DataFile(
        "uci/optdigits/optdigits.tra",
        "e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd",
        UCI + "optdigits/optdigits.tra",
        CC_BY,
    ),
    DataFile(
        "uci/optdigits/optdigits.tes",
        "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8",
        UCI + "optdigits/optdigits.tes",
        CC_BY,
    ),
    DataFile(
        "uci/satimage/sat.trn",
        "e896dc88a960fa2404160fc4c3cb3dc53fcf4afd80ba920bf2d261bd42d12613",
        UCI + "statlog/satimage/sat.trn",
        CC_BY,
    ),
    DataFile(
        "uci/satimage/sat.tst",
        "4b9167b8a92baafafed7c8809aef86d0683a5e685c19d98d119fa6974f0f2479",
        UCI + "statlog/satimage/sat.tst",
        CC_BY,
    ),
    DataFile(
        "uci/segment/segment.dat",
        "d8985260e6e47056da89a4e4124c82ee88fd6072e0db139484c50ff4b390cd82",
        UCI + "statlog/segment/segment.dat",
        CC_BY,
    ),
    DataFile(
        "similarity/aural_sonar.mat",
        "7f593cf9412a31a9839387d4904fa7e732a376c562ac18bf79cef330d1afd01e",
        None,
        "not stated",
        "was on the page of Chen et al. (2009), idl.ee.washington.edu/SimilarityLearning, "
        "which is gone",
    ),
    DataFile(
        "similarity/Protein.mat",
        "3f180796d442e4f2613dbecca60e4e5cfe5a5f2e79b6c9f2f5202bc9e0daa9cc",
        None,
        "not stated",
        "was on the page of Chen et al. (2009), idl.ee.washington.edu/SimilarityLearning, "
        "which is gone",
    ),
    DataFile(
        "similarity/Voting.mat",
        "1d2eaf9d9a8a0d4ff1133552f147c59d330da679ef237e989fb90d59658a9464",
        None,
        "not stated",
        "was on the page of Chen et al. (2009), idl.ee.washington.edu/SimilarityLearning, "
        "which is gone",
    ),
    # Li et al. (2011), § 4.2
    DataFile(
        "tinyimages/cifar10-jpeg-train-luma-idx3-ubyte.gz",
        "49d7267843d19ca2a6a07ed399f465ebdb73cc6ec4bab683c3a64efe40c94243",
        None,
        "not stated",
        _LUMA,
    ),
    DataFile(
        "tinyimages/cifar10-jpeg-train-labels-idx1-ubyte.gz",
        "2c22c17def1abae652e1feff4f9db17f30ba266f1aac33f36116e8df6a193820",
        None,
        "not stated",
        "the classes of the images beside it, in the same order",
    ),
    DataFile(
        "tinyimages/cifar10-jpeg-test-luma-idx3-ubyte.gz",
        "b0ad1479ada0818e78742452716dafea57c917dd8aefe82af5793c6adc2fefd7",
        None,
        "not stated",
        _LUMA,
    ),
    DataFile(
        "tinyimages/cifar10-jpeg-test-labels-idx1-ubyte.gz",
        "ccc234cdf8d33c42cfe79ae77c00e391447461f53e0ebde5174ed4407e6f755a",
        None,
        "not stated",
        "the classes of the images beside it, in the same order",
    ),
)

FILES = {file.name: file for file in _TABLE}
