//! How all libraries take options.

/// Declares types of options: each field with its default, and a setter of its name.
///
/// More fields may come, so that other crates can't name all of them: they start from the
/// default and set what they want.
///
/// ```
/// spirvkit_binary::options! {
///     /// How to read.
///     #[derive(Clone, Debug)]
///     pub struct Options {
///         /// Whether to ask twice.
///         pub is_strict: bool = true,
///         /// How many errors are too many.
///         pub max_errors: usize = 50,
///     }
/// }
///
/// let options = Options::default().max_errors(3);
/// assert!(options.is_strict && options.max_errors == 3);
/// ```
#[macro_export]
macro_rules! options {
    ($(
        $(#[$about:meta])*
        pub struct $options:ident {
            $($(#[$what:meta])* pub $field:ident: $type:ty = $default:expr,)*
        }
    )*) => {$(
        $(#[$about])*
        #[non_exhaustive]
        pub struct $options {
            $(
                $(#[$what])*
                #[doc = ""]
                #[doc = concat!("The default is `", stringify!($default), "`.")]
                pub $field: $type,
            )*
        }

        impl ::core::default::Default for $options {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $options {
            $(
                $(#[$what])*
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    )*};
}
