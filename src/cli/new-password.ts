import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { validationFailed } from '#core/api-error.ts'
import { fieldError } from '#wire/field-error.ts'
import { escapeForTerminal } from './output.ts'

/**
 * Reads a new password from standard input to its end, or twice from the terminal. It is never an
 * argument, because other users of the machine can list those, and shells remember them.
 */
export async function readNewPassword(fromStdin: boolean): Promise<string> {
  if (fromStdin) return (await text(process.stdin)).replace(/\r?\n$/, '')
  if (!process.stdin.isTTY) {
    throw passwordError('run this in a terminal, or pass the password with --stdin')
  }
  const [password, repetition] = await askHidden(['New password: ', 'Again: '])
  if (password === undefined || repetition === undefined) throw passwordError('none was entered')
  if (password !== repetition) throw passwordError('the two passwords differ; nothing was changed')
  return password
}

const passwordError = (why: string) =>
  validationFailed(fieldError('password', 'invalid_value', why))

/**
 * Asks for lines in the terminal without showing them. There are fewer answers than prompts if the
 * user presses Ctrl+C or Ctrl+D.
 */
async function askHidden(prompts: readonly string[]): Promise<string[]> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  // This switches the echo of the terminal off, so it comes before the first prompt.
  const lines = createInterface({
    input: process.stdin,
    output: hidden,
    terminal: true,
    historySize: 0,
  })
  const answers: string[] = []
  try {
    process.stderr.write(prompts[0] ?? '')
    for await (const line of lines) {
      process.stderr.write('\n')
      answers.push(line)
      const prompt = prompts[answers.length]
      if (prompt === undefined) break
      process.stderr.write(prompt)
    }
    return answers
  } finally {
    lines.close()
  }
}

/** A command that needs a confirmation, run where nobody can be asked, or declined. */
export class NotConfirmedError extends Error {
  /** Whether somebody was asked and declined. */
  readonly isDeclined: boolean

  constructor(message: string, isDeclined: boolean) {
    super(message)
    this.isDeclined = isDeclined
  }
}

/** Whether somebody can be asked: the answer comes from stdin, and the question goes to stderr. */
const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Says what a command will do, and asks whether to continue. Throws unless the answer is yes. */
export async function confirm(consequence: string): Promise<void> {
  if (!canAsk()) {
    throw new NotConfirmedError(`${consequence} Add --yes to confirm; nothing was changed.`, false)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await new Promise<string>((resolve) => {
    // Ctrl-C and the end of the input are a no.
    terminal.once('close', () => resolve(''))
    terminal.question(`${escapeForTerminal(consequence)}\nContinue? [y/N] `, resolve)
  })
  terminal.close()
  if (/^y(es)?$/i.test(answer.trim())) return
  throw new NotConfirmedError('Nothing was changed.', true)
}
