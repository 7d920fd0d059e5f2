import type { Element, Nodes } from 'hast'
import { classesOf } from './properties.ts'

const LINE = /^(?:div|p|li|tr|section|ol|ul|table|tbody)$/
const LANGUAGE_CLASS = /^(?:language|lang)-([\w+#.-]+)$/
const HIGHLIGHT_CLASS = /^highlight-(?:source|text)-([\w+#.-]+)$/

/** The text of a block of code, of which some pages make an element for each line, and its language. */
export function toCode(block: Element): { value: string; language: string | undefined } {
  const parts: string[] = []
  let atLineStart = true
  const add = (text: string) => {
    if (text === '') return
    parts.push(text)
    atLineStart = text.endsWith('\n')
  }
  const endLine = () => {
    if (!atLineStart) add('\n')
  }
  const visit = (node: Nodes): void => {
    if (node.type === 'text') add(node.value.replaceAll('\u00a0', ' ').replace(/\r\n?/g, '\n'))
    else if (node.type === 'element' && node.tagName === 'br') add('\n')
    else if (node.type === 'element' && !isNoCode(node)) {
      const isLine = LINE.test(node.tagName)
      if (isLine) endLine()
      node.children.forEach(visit)
      if (isLine) endLine()
    }
  }
  const code = findFramedCode(block) ?? block
  code.children.forEach(visit)
  return {
    value: parts.join('').trimEnd(),
    language: languageOf(code) ?? languageOf(block),
  }
}

/** The code in a frame that has a head of its own, such as the name of the language and a button. */
function findFramedCode({ children }: Element, isFramed = false): Element | undefined {
  for (const child of children) {
    if (child.type !== 'element') continue
    if (child.tagName === 'code' && isFramed) return child
    const code = child.tagName === 'div' ? findFramedCode(child, true) : undefined
    if (code) return code
  }
  return undefined
}

const LINE_NUMBERS = /(?:^|-)(?:gutter|linenos?|line-?numbers?|ln-numbers|blob-num)(?:-|$)/

/** Whether an element has the numbers of lines beside code. */
export const isLineNumbers = (element: Element): boolean =>
  classesOf(element).some((name) => LINE_NUMBERS.test(name))

/** Numbers of lines and buttons that copy the code. */
const isNoCode = (element: Element): boolean =>
  element.tagName === 'button' || isLineNumbers(element)

/** The language that GitHub names around its code. */
export const readHighlightLanguage = (element: Element): string | undefined =>
  classesOf(element).flatMap((name) => HIGHLIGHT_CLASS.exec(name)?.[1] ?? [])[0]

function languageOf(block: Element): string | undefined {
  const code = block.children.find((one) => one.type === 'element' && one.tagName === 'code')
  for (const element of [code, block]) {
    if (element?.type !== 'element') continue
    for (const name of classesOf(element)) {
      const [, language] = LANGUAGE_CLASS.exec(name) ?? []
      if (language !== undefined && language !== 'none') return language
    }
    const { dataLang, dataLanguage = dataLang } = element.properties
    if (/^[\w+#.-]+$/.test(String(dataLanguage ?? ''))) return String(dataLanguage)
  }
  return undefined
}
