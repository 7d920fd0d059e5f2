import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportWorkspace } from '#archive/export/export-workspace.ts'
import type { ArchiveManifest } from '#archive/format/archive-manifest.ts'
import { readTarEntries } from '#archive/format/tar.ts'
import { importWorkspace } from '#archive/import/import-workspace.ts'
import { openFiles } from '#files/open.ts'
import type { TestDocket } from '../support/engines/test-docket.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

const archiveDir = createTempDir()
let serial = 0

/** Returns a path that does not exist. */
export function newArchivePath(): string {
  serial += 1
  return join(archiveDir, `${serial}.tar`)
}

const ignoreProgress = () => {}

/** Exports a workspace to a file and returns the path and the manifest. */
export const exportArchive = (
  { storage, config }: Pick<TestDocket, 'storage' | 'config'>,
  workspace_id: string,
  to = newArchivePath(),
) => exportWorkspace(storage, openFiles(config), { workspace_id, to, onProgress: ignoreProgress })

/** Imports a workspace from a file. */
export const importArchive = ({ storage, config }: TestDocket, from: string) =>
  importWorkspace(storage, openFiles(config), {
    from,
    isCopy: async () => false,
    onProgress: ignoreProgress,
  })

/** Reads the files in an archive, by name. */
export async function readArchiveFiles(path: string): Promise<Map<string, Buffer>> {
  const bytes = readFileSync(path)
  const read = async (at: number, length: number) => bytes.subarray(at, at + length)
  const found = new Map<string, Buffer>()
  for await (const { name, start, size } of readTarEntries(read, bytes.length)) {
    found.set(name, bytes.subarray(start, start + size))
  }
  return found
}

/**
 * Reads the files as text to compare archives, without the time in the manifest and without the audit
 * log, which grows by each export.
 */
export async function readComparableFiles(path: string): Promise<Map<string, string>> {
  const content = await readArchiveFiles(path)
  content.delete('audit.jsonl')
  return new Map(
    [...content].map(([name, bytes]) => {
      const text = bytes.toString('latin1')
      if (name !== 'manifest.json') return [name, text]
      const { made_at: _, parts, ...manifest } = JSON.parse(text) as ArchiveManifest
      const compared = parts.filter(({ part }) => part !== 'audit')
      return [name, JSON.stringify({ ...manifest, parts: compared })]
    }),
  )
}
