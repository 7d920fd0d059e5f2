import assert from 'node:assert/strict'

/**
 * Replaces each setting that names a file with a secret by the content of that file. `contents` are by
 * the path within the container; an empty setting names none.
 */
export function readSecretFiles(
  env: Record<string, string>,
  contents: Record<string, string>,
): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (!name.endsWith('_FILE')) settings[name] = value
    else if (value !== '') {
      settings[name.slice(0, -'_FILE'.length)] = contents[value] ?? assert.fail(`no ${value}`)
    }
  }
  return settings
}
