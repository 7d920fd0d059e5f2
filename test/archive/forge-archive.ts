import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { ArchiveManifest } from '#archive/format/archive-manifest.ts'
import { TAR_END, tarHeader, tarPadding } from '#archive/format/tar.ts'
import { newArchivePath, readArchiveFiles } from './archive-files.ts'

/** The files of an archive by name. */
type ArchiveFiles = Map<string, Buffer>

/** Writes files as an archive, also with invalid names. */
export function writeArchive(content: ArchiveFiles): string {
  const pieces = [...content].flatMap(([name, bytes]) => {
    return [tarHeader(name, bytes.length), bytes, tarPadding(bytes.length)]
  })
  const path = newArchivePath()
  writeFileSync(path, Buffer.concat([...pieces, TAR_END]))
  return path
}

/** Changes an archive and recomputes its checksums, as an attacker would. */
export async function forgeArchive(
  path: string,
  change: (content: ArchiveFiles) => unknown,
  changeManifest: (manifest: ArchiveManifest) => unknown = () => {},
): Promise<string> {
  const content = await readArchiveFiles(path)
  change(content)
  const manifest = JSON.parse(content.get('manifest.json')?.toString() ?? '') as ArchiveManifest
  for (const one of manifest.parts) {
    const bytes = content.get(`${one.part}.jsonl`) ?? Buffer.alloc(0)
    one.bytes = bytes.length
    one.lines = bytes.toString('latin1').split('\n').length - 1
    one.sha256 = hash('sha256', bytes)
  }
  changeManifest(manifest)
  content.delete('manifest.json')
  content.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
  return writeArchive(content)
}

/** Changes one line of a part, counted from 1; a returned string replaces the line. */
export const forgeLine = (
  path: string,
  part: string,
  number: number,
  change: (line: Record<string, unknown>) => unknown,
) =>
  forgeArchive(path, (content) => {
    const name = `${part}.jsonl`
    const lines = content.get(name)?.toString().split('\n') ?? []
    const line = JSON.parse(lines[number - 1] ?? '{}') as Record<string, unknown>
    const changed = change(line)
    lines[number - 1] = typeof changed === 'string' ? changed : JSON.stringify(line)
    content.set(name, Buffer.from(lines.join('\n')))
  })
