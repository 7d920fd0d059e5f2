/**
 * The addresses of the one resource: with a trailing slash, because that is how URL classes write an origin, and that
 * of the Model Context Protocol, which is another way to the same data.
 */
export const resourceAddresses = (baseUrl: string): readonly string[] => [
  baseUrl,
  `${baseUrl}/`,
  `${baseUrl}/mcp`,
]
