import { createReadStream } from 'node:fs'

/**
 * The lines of a file, by line feeds alone: `node:readline` also breaks lines at separators of Unicode,
 * which are written as they are in JSON.
 */
export async function* linesIn(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const parts = `${rest}${String(chunk)}`.split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
  if (rest !== '') yield rest
}

/** The same, some at a time. */
export async function* batchesIn(path: string, size: number): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const line of linesIn(path)) {
    batch.push(line)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
