/**
 * Replaces `postal-mime` and `standardwebhooks` in the Worker (wrangler.toml, alias). Resend's SDK imports them for
 * inbound emails and webhooks, of which we have none, and they would be a seventh of the bundle.
 */
class InboundMail {
  constructor() {
    refuse()
  }

  static parse(): never {
    refuse()
  }
}

export { InboundMail as default, InboundMail as Webhook }

function refuse(): never {
  throw new Error('Inbound mail is not part of this Worker: remove the aliases from wrangler.toml')
}
