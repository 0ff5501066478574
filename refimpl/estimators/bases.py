"""scikit-learn's base classes, which have no hints: so mypy checks the arguments of estimators."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    class _Unhinted:
        def __getattr__(self, name: str) -> Any: ...

    class BaseEstimator(_Unhinted):
        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin(_Unhinted): ...

    class TransformerMixin(_Unhinted): ...

    class ClassNamePrefixFeaturesOutMixin(_Unhinted): ...

else:
    from sklearn.base import (  # noqa: F401
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        TransformerMixin,
    )
