import { decodeText } from './decode-text.ts'
import { UnreadableFileError } from './unreadable-file-error.ts'

/** In characters: the longest line that an archive may have (docs/archive.md). */
const MAX_LINE_LENGTH = 8 * 1024 * 1024

/** Streams the values of JSON Lines. Throws an `UnreadableFileError` that names the line. */
export async function* readJsonLines(
  bytes: AsyncIterable<Uint8Array>,
  filename: string,
): AsyncGenerator {
  let number = 0
  let rest = ''
  const parseLine = (line: string): unknown => {
    number += 1
    try {
      return JSON.parse(line)
    } catch (error) {
      throw new UnreadableFileError(`Line ${number} of ${filename} is no JSON.`, { cause: error })
    }
  }
  for await (const text of decodeText(bytes, false)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_LENGTH) {
      throw new UnreadableFileError(`Line ${number + lines.length + 1} of ${filename} is too long.`)
    }
    for (const line of lines) yield parseLine(line)
  }
  if (rest !== '') yield parseLine(rest)
}
