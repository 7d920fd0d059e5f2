import { useRef } from 'react'

/**
 * The idempotency keys of a form: one for each different request. When the person submits again
 * after an error, the request is done once; with other values it is another request.
 */
export function useRequestKeys(): (request: object) => string {
  const keys = useRef(new Map<string, string>())
  return (request) => {
    const text = JSON.stringify(request)
    const key = keys.current.get(text) ?? crypto.randomUUID()
    keys.current.set(text, key)
    return key
  }
}
