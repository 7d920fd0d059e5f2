const MAX_LIST_VALUES = 50

/** Creates functions that read single settings and collect all mistakes. */
export function createEnvReader(env: Record<string, string | undefined>) {
  const mistakes: string[] = []
  const text = (name: string) => (env[name] === '' ? undefined : env[name])

  function integer(name: string, defaultValue: number, min: number, max: number): number {
    const input = text(name)
    if (input === undefined) return defaultValue
    const value = /^\d{1,12}$/.test(input) ? Number(input) : Number.NaN
    if (value >= min && value <= max) return value
    mistakes.push(`${name} must be a whole number from ${min} to ${max}, not "${input}"`)
    return defaultValue
  }

  function oneOf<const W extends string>(name: string, values: readonly W[], defaultValue: W): W {
    const input = text(name)
    if (input === undefined) return defaultValue
    const value = values.find((one) => one === input)
    if (value !== undefined) return value
    mistakes.push(`${name} must be one of ${values.join(', ')}, not "${input}"`)
    return defaultValue
  }

  function list(name: string, isValid: (part: string) => boolean, expected: string): string[] {
    const parts = (text(name) ?? '').split(',').map((part) => part.trim())
    const values = parts.filter((part) => part !== '')
    const invalid = values.filter((part) => !isValid(part))
    if (invalid.length > 0)
      mistakes.push(`${name} must list ${expected}, not "${invalid.join(', ')}"`)
    return values
  }

  function integers(name: string, defaults: number[], max: number): number[] {
    const input = text(name)
    if (input === undefined) return defaults
    const values = input.split(',').map((part) => (/^\d{1,12}$/.test(part) ? Number(part) : -1))
    if (values.every((value) => value >= 0 && value <= max) && values.length <= MAX_LIST_VALUES) {
      return values
    }
    mistakes.push(
      `${name} must list up to ${MAX_LIST_VALUES} whole numbers from 0 to ${max}, not "${input}"`,
    )
    return defaults
  }

  const flag = (name: string, defaultValue: boolean) =>
    oneOf(name, ['0', '1'], defaultValue ? '1' : '0') === '1'

  return { text, integer, integers, oneOf, list, flag, mistakes }
}
