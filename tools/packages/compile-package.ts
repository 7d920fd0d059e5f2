import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { isolatedDeclaration } from 'rolldown/experimental'
import { transform } from 'rolldown/utils'

/** The packages for other programs: the folder of each, and how its sources become JavaScript. */
const PACKAGES = {
  sdk: (folder: string) => compileModules(folder, { target: 'es2022', hasTypes: true }),
  cli: bundleCommand,
  conformance: (folder: string) => compileModules(folder, { target: 'es2023', hasTypes: false }),
} as const

export type PackageFolder = keyof typeof PACKAGES

export const PACKAGE_FOLDERS = Object.keys(PACKAGES).filter(isPackageFolder)

export function isPackageFolder(name: string): name is PackageFolder {
  return name in PACKAGES
}

/**
 * Compiles a package, and returns the text of each file by its path in `dist`. This needs only what builds
 * the server, so that it works where the tools of development are not installed, such as TypeScript.
 */
export const compilePackage = (
  root: string,
  folder: PackageFolder,
): Promise<ReadonlyMap<string, string>> => PACKAGES[folder](join(root, folder))

async function bundleCommand(folder: string): Promise<ReadonlyMap<string, string>> {
  const bundle = await rolldown({ cwd: folder, input: 'src/main.ts', platform: 'node' })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return new Map([['docket.js', output[0].code]])
}

interface CompileOptions {
  target: string
  /** Whether declarations of types go with the code. */
  hasTypes: boolean
}

async function compileModules(
  folder: string,
  { target, hasTypes }: CompileOptions,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const name of globSync('**/*.ts', { cwd: join(folder, 'src') }).sort()) {
    const source = readFileSync(join(folder, 'src', name), 'utf8')
    // Declarations import modules by the same name as the code.
    const text = source.replaceAll(/( from '\.\.?\/[^']+)\.ts'/g, "$1.js'")
    const code = await transform(name, text, { target, tsconfig: false })
    assertCompiled(name, code.errors)
    files.set(name.replace(/\.ts$/, '.js'), code.code)
    if (!hasTypes) continue
    const types = await isolatedDeclaration(name, text, {})
    assertCompiled(name, types.errors)
    files.set(name.replace(/\.ts$/, '.d.ts'), types.code)
  }
  return files
}

function assertCompiled(name: string, errors: readonly { message: string }[]): void {
  if (errors.length === 0) return
  throw new Error(`${name}: ${errors.map(({ message }) => message).join('\n')}`)
}
