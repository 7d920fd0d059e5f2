import type { Page } from '@playwright/test'

const DATA = /\/(api\/v1|internal)\//
const STREAMS = /\/internal\/changes\?after=(?!.*limit)/

/** Lists the reads that a page makes from now on, besides the streams that it follows. */
export function countReads(page: Page): () => readonly string[] {
  const reads: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (request.method() === 'GET' && DATA.test(url) && !STREAMS.test(url)) reads.push(url)
  })
  return () => reads
}
