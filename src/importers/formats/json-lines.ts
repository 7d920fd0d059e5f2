import { giveWay } from '#lib/turns.ts'
import { decodeText } from './decode-text.ts'
import { MAX_ELEMENT_LENGTH } from './json-elements.ts'
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
    if (line.length > MAX_ELEMENT_LENGTH) throw tooLong(number)
    try {
      return JSON.parse(line)
    } catch (error) {
      throw new UnreadableFileError(`Line ${number} of ${filename} is no JSON.`, { cause: error })
    }
  }
  const tooLong = (number: number) =>
    new UnreadableFileError(
      `Line ${number} of ${filename} is too long: a line may have a million characters.`,
    )
  for await (const text of decodeText(bytes, false)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_ELEMENT_LENGTH) throw tooLong(number + lines.length + 1)
    for (const line of lines) {
      yield parseLine(line)
      await giveWay()
    }
  }
  if (rest !== '') yield parseLine(rest)
}
