import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Manifest } from '#archive/manifest.ts'
import { END, headOf, paddingOf } from '#archive/tar.ts'
import { contentOf, newName } from './support.ts'

type Content = Map<string, Buffer>

/** Writes files as an archive, with whatever names they have. */
export function written(content: Content): string {
  const pieces = [...content].flatMap(([name, bytes]) => {
    return [headOf(name, bytes.length), bytes, paddingOf(bytes.length)]
  })
  const path = newName()
  writeFileSync(path, Buffer.concat([...pieces, END]))
  return path
}

/** An archive in which something was changed by somebody who knows how to make the sums right again. */
export async function forged(
  path: string,
  change: (content: Content) => unknown,
  restate: (manifest: Manifest) => unknown = () => {},
): Promise<string> {
  const content = await contentOf(path)
  change(content)
  const manifest = JSON.parse(content.get('manifest.json')?.toString() ?? '') as Manifest
  for (const one of manifest.parts) {
    const bytes = content.get(`${one.part}.jsonl`) ?? Buffer.alloc(0)
    one.bytes = bytes.length
    one.lines = bytes.toString('latin1').split('\n').length - 1
    one.sha256 = hash('sha256', bytes)
  }
  restate(manifest)
  content.delete('manifest.json')
  content.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
  return written(content)
}

/** The same for one line of a part, counted from 1; what it gives stands there then. */
export const forgedLine = (
  path: string,
  part: string,
  number: number,
  change: (line: Record<string, unknown>) => unknown,
) =>
  forged(path, (content) => {
    const name = `${part}.jsonl`
    const lines = content.get(name)?.toString().split('\n') ?? []
    const line = JSON.parse(lines[number - 1] ?? '{}') as Record<string, unknown>
    const changed = change(line)
    lines[number - 1] = typeof changed === 'string' ? changed : JSON.stringify(line)
    content.set(name, Buffer.from(lines.join('\n')))
  })
