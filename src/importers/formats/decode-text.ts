import { UnreadableFileError } from './unreadable-file-error.ts'

/** The byte order marks of UTF-16. */
const BYTE_ORDER_MARKS = { 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const

/**
 * Decodes a file: as UTF-16 if it begins with a byte order mark, as Windows-1252 if that was
 * chosen, otherwise as UTF-8. Throws `UnreadableFileError` at the first invalid byte rather than
 * guess.
 */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  latin1: boolean,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  try {
    for await (const chunk of bytes) {
      decoder ??= new TextDecoder(detectEncoding(chunk, latin1), { fatal: true })
      yield decoder.decode(chunk, { stream: true })
    }
    yield decoder?.decode() ?? ''
  } catch (error) {
    if (
      error instanceof TypeError &&
      'code' in error &&
      error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
    ) {
      throw new UnreadableFileError('is_not_utf8', { cause: error })
    }
    throw error
  }
}

/** The encoding of a file: that of its byte order mark, or the chosen one. */
export function detectEncoding([first, second]: Uint8Array, latin1: boolean): string {
  for (const [name, mark] of Object.entries(BYTE_ORDER_MARKS)) {
    if (first === mark[0] && second === mark[1]) return name
  }
  return latin1 ? 'windows-1252' : 'utf-8'
}
