declare const of: unique symbol

/** JSON text of a T. A record that is only passed on is never made an object and text again. */
export type Json<T> = string & { readonly [of]: T }

/** The JSON text of a value; what is text of JSON already stays as it is. */
export const toJson = <T>(value: T | Json<T>): Json<T> =>
  (typeof value === 'string' ? value : JSON.stringify(value)) as Json<T>

/** The value that a JSON text of ours holds. Not for text that came from outside. */
export const fromJson = <T>(text: Json<T>): T => JSON.parse(text) as T
