import { createInterface } from 'node:readline'

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
    terminal.question(`${consequence}\nContinue? [y/N] `, resolve)
  })
  terminal.close()
  if (/^y(es)?$/i.test(answer.trim())) return
  throw new NotConfirmedError('Nothing was changed.', true)
}
