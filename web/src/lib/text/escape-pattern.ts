/** A pattern for exactly this text. `RegExp.escape` is newer than the oldest supported browsers. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
