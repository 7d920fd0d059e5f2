import { code } from './code.ts'
import { entry, prose, type Row, rows } from './entry.ts'
import { type Html, html } from './html.ts'

/** A chapter of prose before the operations, with the examples that stand beside it. */
export interface Chapter {
  readonly id: string
  readonly title: string
  readonly text: Html
  /** A list below the text. */
  readonly rows?: readonly Row[]
  readonly examples: readonly { readonly label: string; readonly text: string }[]
}

/** A chapter as a section of the page, numbered in the gutter. */
export function chapterSection(chapter: Chapter, number: number): Html {
  const { id, title, text, rows: list, examples } = chapter
  return entry({
    id,
    gutter: String(number),
    heading: html`<h2><a href="#${id}">${title}</a></h2>`,
    text: [prose(text), list ? rows(list) : ''],
    aside: examples.map((example) => code(example.text, example.label)),
  })
}
