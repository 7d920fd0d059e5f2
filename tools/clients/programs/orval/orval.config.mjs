export default {
  client: {
    input: './openapi.json',
    output: {
      target: 'docket.ts',
      client: 'fetch',
      mode: 'split',
      override: {
        mutator: { path: './docket-fetch.ts', name: 'docketFetch' },
        // A form and bytes are alternatives, of which the generated function can send one.
        operations: {
          uploadAttachment: { contentType: { exclude: ['application/octet-stream'] } },
        },
      },
    },
  },
  schemas: { input: './openapi.json', output: { target: 'docket.zod.ts', client: 'zod' } },
}
