import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { compilePackage, isPackageFolder } from './compile-package.ts'

/** Writes `dist` of the package in the current folder: `npm pack` runs it. */
const folder = process.cwd()
const name = basename(folder)
if (!isPackageFolder(name)) throw new Error(`${folder} is no package.`)
const dist = join(folder, 'dist')
rmSync(dist, { recursive: true, force: true })
for (const [path, text] of await compilePackage(dirname(folder), name)) {
  mkdirSync(dirname(join(dist, path)), { recursive: true })
  writeFileSync(join(dist, path), text)
}
