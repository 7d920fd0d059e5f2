import type { Commit } from './git.ts'
import type { ImportCounts } from './load.ts'
import type { ProblemRecord } from './records.ts'

const LINE_INTERVAL_MS = 5_000
const MIN_REPORTED_WAIT_MS = 2_000

/** Reports progress on stderr: one updated line on a terminal, otherwise a line every 5 seconds. */
export function createProgressReporter(
  terminal = process.stderr.isTTY,
  write = (text: string) => process.stderr.write(text),
) {
  let last = 0

  function batch(counted: ImportCounts): void {
    if (!terminal && Date.now() - last < LINE_INTERVAL_MS) return
    last = Date.now()
    write(terminal ? `\r\u001b[K${sentence(counted)}` : `${sentence(counted)}\n`)
  }

  return {
    batch,
    end(counted: ImportCounts): void {
      last = 0
      batch(counted)
      if (terminal) write('\n')
    },
    waits(milliseconds: number, why: string): void {
      if (milliseconds < MIN_REPORTED_WAIT_MS) return
      write(`${terminal ? '\n' : ''}Waiting ${Math.ceil(milliseconds / 1000)} s: ${why}\n`)
    },
    refused({ hash }: Commit, { message, details }: ProblemRecord): void {
      const reasons = details.map(({ field, message }) => `${field}: ${message}`)
      write(`${terminal ? '\n' : ''}${hash} was refused: ${reasons.join(' ') || message}\n`)
    },
  }
}

const sentence = (counted: ImportCounts) =>
  `${counted.commits} commits: ${counted.tasks_added} tasks, ${counted.comments_added} comments and ` +
  `${counted.tags_added} tags added; ${counted.tasks_there} tasks existed`
