/** A file that cannot be read at all. The message is shown to the user who uploaded it. */
export class UnreadableFileError extends Error {}
