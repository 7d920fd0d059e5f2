import { Unreadable } from './unreadable.ts'

/** Bytes that tell which kind of UTF-16 follows. */
const MARKS = { 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const

const NOT_UTF8 =
  'The file is not in UTF-8. Save it as UTF-8, or say that it is in Windows-1252 (Latin-1).'

/**
 * The text of a file: UTF-16 where its first bytes say so, Windows-1252 where that was chosen, else
 * UTF-8. Throws `Unreadable` at the first byte that is none, rather than guess.
 */
export async function* textOf(
  bytes: AsyncIterable<Uint8Array>,
  latin1: boolean,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  try {
    for await (const chunk of bytes) {
      decoder ??= new TextDecoder(encodingOf(chunk, latin1), { fatal: true })
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder?.decode() ?? ''
  } catch (error) {
    if (
      error instanceof TypeError &&
      'code' in error &&
      error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
    ) {
      throw new Unreadable(NOT_UTF8, { cause: error })
    }
    throw error
  }
}

function encodingOf([first, second]: Uint8Array, latin1: boolean): string {
  for (const [name, mark] of Object.entries(MARKS)) {
    if (first === mark[0] && second === mark[1]) return name
  }
  return latin1 ? 'windows-1252' : 'utf-8'
}
