/* attr.h - the few attributes and scope macros everything else is written with.
 *
 * Memory and descriptors that belong to a scope are declared AUTO(T) or
 * AUTO_PTR(T) and are released on every way out of it.  TAKE(var) is the
 * visible moment at which ownership leaves the scope. */
#ifndef BASE_ATTR_H
#define BASE_ATTR_H

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define NO_RETURN __attribute__((noreturn))

#define AUTO(T) __attribute__((cleanup(auto_##T))) T
#define AUTO_PTR(T) __attribute__((cleanup(auto_ptr_##T))) T *

/* Say once, beside a type, how AUTO(T) or AUTO_PTR(T) releases it. */
#define DEFINE_AUTO(T, release)                                  \
    __attribute__((unused)) static inline void auto_##T(T *held) \
    {                                                            \
        release(held);                                           \
    }
#define DEFINE_AUTO_PTR(T, release)                                   \
    __attribute__((unused)) static inline void auto_ptr_##T(T **held) \
    {                                                                 \
        release(*held);                                               \
    }

/* The value of `var`, which is left empty: its taker owns it now. */
#define TAKE(var)                       \
    ({                                  \
        __typeof__(var) taken_ = (var); \
        (var) = (__typeof__(var)){ 0 }; \
        taken_;                         \
    })

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
