import { textOf } from './text.ts'
import { Unreadable } from './unreadable.ts'

/** As long as a line of an archive may be (docs/archive.md). */
const MOST_OF_LINE = 8 * 1024 * 1024

/** The values of JSON Lines, one after the other. Throws `Unreadable` that names the line. */
export async function* valuesOf(bytes: AsyncIterable<Uint8Array>, of: string): AsyncGenerator {
  let number = 0
  let rest = ''
  const value = (line: string): unknown => {
    number += 1
    try {
      return JSON.parse(line)
    } catch (error) {
      throw new Unreadable(`Line ${number} of ${of} is no JSON.`, { cause: error })
    }
  }
  for await (const text of textOf(bytes, false)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MOST_OF_LINE) {
      throw new Unreadable(`Line ${number + lines.length + 1} of ${of} is too long.`)
    }
    for (const line of lines) yield value(line)
  }
  if (rest !== '') yield value(rest)
}
