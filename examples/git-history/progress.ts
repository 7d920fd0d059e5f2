import type { Commit } from './git.ts'
import type { Counted } from './load.ts'
import type { Problem } from './records.ts'

const OFTEN = 5_000
const LONG = 2_000

/** Tells a person on stderr how far it is: one moving line on a terminal, a line now and then else. */
export function reporter(
  terminal = process.stderr.isTTY,
  write = (text: string) => process.stderr.write(text),
) {
  let last = 0

  function batch(counted: Counted): void {
    if (!terminal && Date.now() - last < OFTEN) return
    last = Date.now()
    write(terminal ? `\r\u001b[K${sentence(counted)}` : `${sentence(counted)}\n`)
  }

  return {
    batch,
    end(counted: Counted): void {
      last = 0
      batch(counted)
      if (terminal) write('\n')
    },
    waits(milliseconds: number, why: string): void {
      if (milliseconds < LONG) return
      write(`${terminal ? '\n' : ''}Waiting ${Math.ceil(milliseconds / 1000)} s: ${why}\n`)
    },
    refused({ hash }: Commit, { message, details }: Problem): void {
      const reasons = details.map(({ field, message }) => `${field}: ${message}`)
      write(`${terminal ? '\n' : ''}${hash} is refused: ${reasons.join(' ') || message}\n`)
    },
  }
}

const sentence = (counted: Counted) =>
  `${counted.commits} commits: ${counted.tasks_added} tasks, ${counted.comments_added} comments and ` +
  `${counted.tags_added} tags added; ${counted.tasks_there} tasks there already`
