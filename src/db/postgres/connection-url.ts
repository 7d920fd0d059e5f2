/**
 * Takes parameters out of the address of a PostgreSQL database. The driver lets those of the address
 * win over those that the program sets. Not parsed as a URL, because the address of a Unix socket has
 * no host (`postgres://user@/database?host=/run/postgresql`).
 */
export function takeUrlParameters(
  url: string,
  ...names: string[]
): { url: string; taken: Map<string, string> } {
  const [address = '', query = ''] = url.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  const taken = new Map<string, string>()
  for (const name of names) {
    const value = parameters.get(name)
    if (value !== null) taken.set(name, value)
    parameters.delete(name)
  }
  if (taken.size === 0) return { url, taken }
  const rest = parameters.toString()
  return { url: rest === '' ? address : `${address}?${rest}`, taken }
}

/**
 * The part of the connection settings that is the same for each connection of Docket: its address,
 * and the name by which commands tell that a Docket is running. An address cannot change the name.
 */
export const namedConnection = (url: string, application_name: string) => ({
  connectionString: takeUrlParameters(url, 'application_name').url,
  application_name,
})
