/**
 * Floor of a call between agents: a bare node:https server that reads a JSON body and answers with a JSON of the same size.
 * No signature, no checks.
 *
 *   KEY=<pem> CERT=<pem> node https.mjs
 *
 * Prints its port, then answers until it is killed.
 */
import https from 'node:https'

const { KEY: key, CERT: cert } = process.env
const server = https.createServer({ key, cert, keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { method, params } }))
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready ${server.address().port}\n`))
