import { type ApiErrorDetail, DocketError } from '../../sdk/src/index.ts'
import type { CommandDefinition } from './command.ts'

/** Exit codes, which cli/README.md documents. */
export const EXIT_CODES = { failed: 1, usage: 2, notSignedIn: 3, conflict: 4 } as const

/** The exit codes in a sentence, for people and programs. */
export const EXIT_CODES_TEXT =
  'Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not signed in, 4 changed by somebody else.'

/** A command line that no command accepts. */
export class CommandUsageError extends Error {
  readonly command: CommandDefinition | undefined

  constructor(message: string, command?: CommandDefinition) {
    super(message)
    this.command = command
  }
}

/** There is no credential to send. */
export class NotSignedInError extends Error {}

/** Something that the command line itself refuses, for a reason that a person understands. */
export class CommandFailure extends Error {
  readonly code: string
  readonly exitCode: number

  constructor(code: string, message: string, exitCode: number = EXIT_CODES.failed) {
    super(message)
    this.code = code
    this.exitCode = exitCode
  }
}

/** An error as it is printed with --json, and the exit code of the process. */
interface DescribedFailure {
  exitCode: number
  error: {
    code: string
    message: string
    status?: number
    details?: readonly ApiErrorDetail[]
    request_id?: string
    doc_url?: string
  }
}

/** Describes what was thrown; undefined if it is a defect of the command line. */
export function describeFailure(thrown: unknown): DescribedFailure | undefined {
  if (thrown instanceof CommandUsageError) {
    const { message, command } = thrown
    const hint = command ? ` See docket help ${command.name}.` : ''
    const sentence = /[.?!]$/.test(message) ? message : `${message}.`
    return { exitCode: EXIT_CODES.usage, error: { code: 'usage', message: sentence + hint } }
  }
  if (thrown instanceof NotSignedInError) {
    const { message } = thrown
    return { exitCode: EXIT_CODES.notSignedIn, error: { code: 'not_signed_in', message } }
  }
  if (thrown instanceof CommandFailure) {
    const { code, message, exitCode } = thrown
    return { exitCode, error: { code, message } }
  }
  if (!(thrown instanceof DocketError)) return undefined
  const { code, status, details, request_id, doc_url } = thrown
  return {
    exitCode: exitCodeOf(thrown),
    error: {
      code,
      message: messageOf(thrown),
      ...(status !== undefined && { status }),
      ...(details.length > 0 && { details }),
      ...(request_id && { request_id }),
      ...(doc_url && { doc_url }),
    },
  }
}

function exitCodeOf({ status, code }: DocketError<string>): number {
  if (isSignedOut(code, status)) return EXIT_CODES.notSignedIn
  return status === 409 || code === 'version_mismatch' ? EXIT_CODES.conflict : EXIT_CODES.failed
}

/** `not_signed_in` and `invalid_grant`: a sign-in with the browser has ended. */
const isSignedOut = (code: string, status: number | undefined): boolean =>
  status === 401 || code === 'not_signed_in' || code === 'invalid_grant'

/** The message of the server, and what to do about it here. */
function messageOf({ code, status, message, required_scope }: DocketError<string>): string {
  if (isSignedOut(code, status)) return `${message} Run docket login.`
  if (code === 'insufficient_scope') {
    return `${message} Create a key with the scope ${required_scope} under Settings → API keys, and run docket login.`
  }
  if (code === 'version_mismatch') {
    return 'Somebody else has changed it meanwhile, so nothing was changed.'
  }
  if (code === 'changed_since') {
    return 'Some of this was changed since, and nothing was undone. Undo the rest with docket undo --rest.'
  }
  return message
}
