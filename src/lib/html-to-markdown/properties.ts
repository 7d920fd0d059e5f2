import type { Element, Nodes } from 'hast'

/**
 * The styles of an element, in lower case. They are split, as a pattern that looks for a property and its
 * value at once would take quadratic time for a style that repeats the property.
 */
export const stylesOf = ({ properties }: Element): ReadonlyMap<string, string> =>
  new Map(
    String(properties.style ?? '')
      .toLowerCase()
      .split(';')
      .map((one) => one.split(':'))
      .map(([property = '', value = '']) => [property.trim(), value.trim()] as const),
  )

/** The classes of an element. */
export const classesOf = ({ properties }: Pick<Element, 'properties'>): string[] =>
  Array.isArray(properties.className) ? properties.className.map(String) : []

export const hasClass = (element: Pick<Element, 'properties'>, name: string): boolean =>
  classesOf(element).includes(name)

/** All the text of a tree, also what is not shown. */
export function plainTextOf(node: Nodes): string {
  if (node.type === 'text') return node.value
  return 'children' in node ? node.children.map(plainTextOf).join('') : ''
}
