const MOST_VALUES = 50

/** Readers of single settings that note every mistake instead of stopping at the first. */
export function readSettings(env: Record<string, string | undefined>) {
  const mistakes: string[] = []
  const text = (name: string) => (env[name] === '' ? undefined : env[name])

  function whole(name: string, otherwise: number, min: number, max: number): number {
    const given = text(name)
    if (given === undefined) return otherwise
    const value = /^\d{1,12}$/.test(given) ? Number(given) : Number.NaN
    if (value >= min && value <= max) return value
    mistakes.push(`${name} must be a whole number from ${min} to ${max}, not "${given}"`)
    return otherwise
  }

  function word<const W extends string>(name: string, words: readonly W[], otherwise: W): W {
    const given = text(name)
    if (given === undefined) return otherwise
    const known = words.find((one) => one === given)
    if (known !== undefined) return known
    mistakes.push(`${name} must be one of ${words.join(', ')}, not "${given}"`)
    return otherwise
  }

  function list(name: string, fits: (part: string) => boolean, what: string): string[] {
    const parts = (text(name) ?? '').split(',').map((part) => part.trim())
    const given = parts.filter((part) => part !== '')
    const wrong = given.filter((part) => !fits(part))
    if (wrong.length > 0) mistakes.push(`${name} must list ${what}, not "${wrong.join(', ')}"`)
    return given
  }

  function wholes(name: string, otherwise: number[], max: number): number[] {
    const given = text(name)
    if (given === undefined) return otherwise
    const values = given.split(',').map((part) => (/^\d{1,12}$/.test(part) ? Number(part) : -1))
    if (values.every((value) => value >= 0 && value <= max) && values.length <= MOST_VALUES) {
      return values
    }
    mistakes.push(
      `${name} must list up to ${MOST_VALUES} whole numbers from 0 to ${max}, not "${given}"`,
    )
    return otherwise
  }

  const flag = (name: string, otherwise: boolean) =>
    word(name, ['0', '1'], otherwise ? '1' : '0') === '1'

  return { text, whole, wholes, word, list, flag, mistakes }
}
