/**
 * The wire between agents of different homes: keys, signatures, HTTPS requests to peers and the listening server.
 * Invariants: 1. a request goes only to the machine that holds the peer's key or certificate; 2. each wait ends: by its
 * time, by the signal, by the limit of bytes; 3. what a peer or network can cause is a value, not an error.
 */

export interface PeerWire {
  /** A new P-256 key pair. `privateKey`: PKCS #8 PEM. `publicKey`: as in peer files, `p256:…`. */
  newKey(): { readonly privateKey: string; readonly publicKey: string }
  /** Throws NeoError `config` if it is not a P-256 key. */
  publicKeyOf(privateKey: string): string
  /** A self-signed TLS certificate (PEM) over this key, valid for ten years. */
  certificateOf(privateKey: string, name: string): Promise<string>
  /** Base64 of an ECDSA signature with SHA-256, as in RFC 9421 (`ecdsa-p256-sha256`: r and s, 64 bytes). */
  sign(privateKey: string, text: string): string
  /** False also if the key or signature is malformed. */
  verify(publicKey: string, text: string, signature: string): boolean
  /** Standard base64 of the SHA-256 of the text. */
  sha256(text: string): string
  send(request: PeerRequest, signal?: AbortSignal): Promise<PeerReply>
  /** Rejects with node's error if it can't listen. */
  listen(options: PeerListen): Promise<PeerListening>
}

/** How to know the machine: by the key in its certificate, by the certificate, or as browsers do. */
export interface PeerTrust {
  readonly publicKey?: string
  readonly certificate?: string
}

export interface PeerRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Null: any machine, for the first look at a peer that is not known yet. */
  readonly trust: PeerTrust | null
  readonly timeoutMs: number
}

export type PeerReply =
  | {
      readonly kind: 'reply'
      readonly status: number
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      /** Of the machine that answered; null over plain HTTP. */
      readonly seen: { readonly publicKey: string | null; readonly certificate: string } | null
    }
  | { readonly kind: 'unreachable' | 'untrusted' | 'timeout' | 'too-large' | 'stopped'; readonly why: string }

export interface PeerListen {
  readonly host: string
  readonly port: number
  /** PEM. Null: plain HTTP. */
  readonly tls: { readonly key: string; readonly cert: string } | null
  /** Bytes of a request's body, at most. */
  readonly mostBytes: number
  /** Called once a request, with its whole body. Must not throw. */
  readonly answer: (request: PeerIncoming) => Promise<PeerAnswer>
}

export interface PeerIncoming {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  /** Names in lower case; doubled headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Address of the other end of the connection. */
  readonly remoteAddress: string
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal
}

export interface PeerAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text, or pieces of an event stream as they come. */
  readonly body: string | AsyncIterable<string>
}

export interface PeerListening {
  readonly port: number
  /** Ends open connections within a second. */
  close(): Promise<void>
}
