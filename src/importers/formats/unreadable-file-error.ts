/** A file that cannot be read at all. The message is shown to the user who uploaded it. */
export class UnreadableFileError extends Error {}

/** The error of a file that has more tasks than an import may have. */
export const tooManyTasks = (max: number) =>
  new UnreadableFileError(`The file has more than ${max} tasks. Split it into several files.`)
