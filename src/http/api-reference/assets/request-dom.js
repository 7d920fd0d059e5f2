/** Creates an element. Children are elements or text, which is never parsed as markup. */
export function createElement(tag, properties = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue
    if (name in node) node[name] = value
    else node.setAttribute(name, value)
  }
  node.append(...children)
  return node
}

let elementCount = 0

/** An id that no other element of the page has. */
export const createElementId = () => `request-${++elementCount}`
