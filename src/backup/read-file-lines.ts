import { createReadStream } from 'node:fs'

/**
 * Streams the lines of a file, which end at line feeds only. `node:readline` also breaks lines at
 * Unicode separators, which JSON does not escape.
 */
export async function* readFileLines(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const parts = `${rest}${String(chunk)}`.split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
  if (rest !== '') yield rest
}

/** The most lines and characters of a batch; a single line may be longer. */
export interface LineBatchLimit {
  lines: number
  characters: number
}

/** Streams the lines of a file in batches. */
export async function* readFileLineBatches(
  path: string,
  most: LineBatchLimit,
): AsyncGenerator<string[]> {
  let batch: string[] = []
  let characters = 0
  for await (const line of readFileLines(path)) {
    const isFull = batch.length === most.lines || characters + line.length > most.characters
    if (isFull && batch.length > 0) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(line)
    characters += line.length
  }
  if (batch.length > 0) yield batch
}
