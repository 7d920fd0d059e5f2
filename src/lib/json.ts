declare const of: unique symbol

/** The JSON text of a T. Records that are only passed on are never parsed and serialized again. */
export type Json<T> = string & { readonly [of]: T }

/** The JSON text of a value; JSON text is returned as it is. */
export const toJson = <T>(value: T | Json<T>): Json<T> =>
  (typeof value === 'string' ? value : JSON.stringify(value)) as Json<T>

/** Parses JSON text that Docket wrote. Not for input from outside, because nothing is validated. */
export const fromJson = <T>(text: Json<T>): T => JSON.parse(text) as T
