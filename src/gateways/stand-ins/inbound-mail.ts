/**
 * In the Worker this stands in for `postal-mime` and `standardwebhooks` (wrangler.toml, alias). Resend's SDK brings
 * them along for mails and webhooks that come in, a seventh of the whole Worker; nothing comes in here.
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
