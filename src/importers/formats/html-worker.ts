import { parentPort } from 'node:worker_threads'
import { convertHtml, TooManyElementsError } from '#lib/html-to-markdown/convert-html.ts'

/** Worker thread that converts one text after the other, and answers each with its Markdown or null. */
parentPort?.on('message', async (html: string) => {
  parentPort?.postMessage(await convertHtml(html).catch(onError))
})

function onError(error: unknown): null {
  if (error instanceof TooManyElementsError) return null
  throw error
}
