/** How an attribute of a tree is called in React: as `attribute`, or, with a space, as `property`. */
interface Named {
  property: string
  attribute: string
  space?: 'html'
}

/**
 * The name of an attribute that Markdown makes: `dataTask` is `data-task`, `ariaDescribedBy` is `aria-describedby`, and
 * any other is one that React has (`className`, `href`, `checked`).
 *
 * With its neighbours it takes the place of `property-information`, which lists every attribute of HTML and SVG.
 */
export function find(_schema: unknown, property: string): Named {
  const [, kind, rest = ''] = /^(data|aria)([A-Z].*)$/.exec(property) ?? []
  if (kind === 'aria') return { property, attribute: `aria-${rest.toLowerCase()}` }
  const dashed = rest.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  if (kind === 'data') return { property, attribute: `data${dashed}` }
  return { property, attribute: property, space: 'html' }
}

export const html = { space: 'html' }
export const svg = { space: 'svg' }
export const hastToReact = {}
