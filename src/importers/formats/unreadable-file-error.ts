import type { ImportError, ImportErrorCode } from '#resources/imports/internal.ts'

interface UnreadableFileOptions extends ErrorOptions, Partial<Omit<ImportError, 'code'>> {}

/** A file that cannot be read at all. The web app has words for each code. */
export class UnreadableFileError extends Error {
  readonly reason: ImportError

  constructor(code: ImportErrorCode, options: UnreadableFileOptions = {}) {
    const { value = '', number = null } = options
    super([code, value, number ?? ''].filter((part) => part !== '').join(' '), options)
    this.reason = { code, value, number }
  }
}

/** The error of a file that has more tasks than an import may have. */
export const tooManyTasks = (max: number) =>
  new UnreadableFileError('too_many_tasks', { number: max })
