import { MAX_ARCHIVE_LINE_BYTES } from '#archive/format/archive-manifest.ts'
import { decodeText } from './decode-text.ts'
import { UnreadableFileError } from './unreadable-file-error.ts'

/** Streams the values of the lines in a part of an archive. Throws an `UnreadableFileError` that names the line. */
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
    // A character is at least one byte.
    if (rest.length > MAX_ARCHIVE_LINE_BYTES) {
      throw new UnreadableFileError(`Line ${number + lines.length + 1} of ${filename} is too long.`)
    }
    for (const line of lines) yield parseLine(line)
  }
  if (rest !== '') yield parseLine(rest)
}
