"""std::vector for the steps of a loop.

Where memory runs out std::bad_alloc passes through to the pool, which ends the loop, and Loop.run
raises MemoryError. (With Cython's own declaration it ends a single step in silence.) Code outside
the steps uses ``make`` in the place of ``resize``: it raises MemoryError itself.
"""

cdef extern from "<vector>" namespace "std" nogil:
    cdef cppclass vector[T]:
        cppclass iterator:
            iterator() except +
            T& operator*()
            iterator operator+(Py_ssize_t)
            iterator operator-(Py_ssize_t)
            Py_ssize_t operator-(iterator)
            bint operator==(iterator)
            bint operator!=(iterator)
        vector() except +
        T& operator[](size_t)
        iterator begin()
        iterator end()
        T* data()
        T& front()
        size_t size()
        void make "resize"(size_t) except +
        void make "resize"(size_t, const T&) except +
        void resize(size_t)
        void assign(size_t, const T&)
        void push_back(const T&)
        void pop_back()
        iterator erase(iterator, iterator)
