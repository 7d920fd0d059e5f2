import assert from 'node:assert/strict'
import { test } from 'node:test'
import { find } from './attributes.ts'

/** The name that React is given. */
const named = (property: string) => {
  const { attribute, space } = find(undefined, property)
  return space ? property : attribute
}

test('an attribute of a Markdown tree has the name that React knows', () => {
  const names = {
    dataTask: 'data-task',
    dataFootnoteBackref: 'data-footnote-backref',
    ariaLabel: 'aria-label',
    ariaDescribedBy: 'aria-describedby',
    className: 'className',
    href: 'href',
    data: 'data',
  }
  for (const [property, name] of Object.entries(names)) assert.equal(named(property), name)
})
