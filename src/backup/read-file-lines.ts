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

/** Streams the lines of a file in batches. */
export async function* readFileLineBatches(path: string, size: number): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const line of readFileLines(path)) {
    batch.push(line)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
