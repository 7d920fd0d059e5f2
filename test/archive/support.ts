import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportWorkspace } from '#archive/export.ts'
import { importWorkspace } from '#archive/import.ts'
import { entriesOf } from '#archive/tar.ts'
import { openFiles } from '#files/open.ts'
import { emptyDir } from '../support/dir.ts'
import type { Served } from '../support/engines.ts'

const place = emptyDir()
let serial = 0

/** A name that nothing has. */
export function newName(): string {
  serial += 1
  return join(place, `${serial}.tar`)
}

const told = () => {}

/** Writes a workspace to a file; gives what was told of it. */
export const exported = (
  { storage, config }: Pick<Served, 'storage' | 'config'>,
  workspace_id: string,
  to = newName(),
) => exportWorkspace(storage, openFiles(config), { workspace_id, to, told })

/** Makes a workspace of a file. */
export const imported = ({ storage, config }: Served, from: string) =>
  importWorkspace(storage, openFiles(config), { from, told })

/** The files in an archive, by name. */
export async function contentOf(path: string): Promise<Map<string, Buffer>> {
  const bytes = readFileSync(path)
  const read = async (at: number, length: number) => bytes.subarray(at, at + length)
  const found = new Map<string, Buffer>()
  for await (const { name, start, size } of entriesOf(read, bytes.length)) {
    found.set(name, bytes.subarray(start, start + size))
  }
  return found
}

/** The same without what the manifest says of when it was made. */
export async function essenceOf(path: string): Promise<Map<string, string>> {
  const content = await contentOf(path)
  return new Map(
    [...content].map(([name, bytes]) => {
      const text = bytes.toString('latin1')
      return [name, name === 'manifest.json' ? text.replace(/"made_at": "[^"]+"/, '') : text]
    }),
  )
}
