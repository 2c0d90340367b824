# Receives webhooks: verifies each one, answers at once, handles each event once. Ruby 3.0 with the gem webrick.
#
#     SIGNING_SECRETS=whsec_… ruby receiver.rb
#
# While you change over to a new secret, give both, separated by a comma.
require "base64"
require "json"
require "openssl"
require "set"

WINDOW_SECONDS = 300

# True when one of the signatures fits these very bytes, and the timestamp is at most five minutes off.
def genuine?(header, raw_body, secrets, now)
  fields = header.to_s.split(",").map { |field| field.strip.split("=", 2) }
  timestamp = fields.find { |name, _| name == "t" }&.last.to_s
  return false unless timestamp.match?(/\A[0-9]{1,12}\z/) && (now - timestamp.to_i).abs <= WINDOW_SECONDS

  given = fields.select { |name, _| name == "v1" }.map { |_, value| value.to_s }
  genuine = false
  secrets.each do |secret|
    expected = OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamp}.".b + raw_body.b)
    given.each { |signature| genuine |= OpenSSL.secure_compare(signature, expected) }
  end
  genuine
end

# What is left of a setting: with an empty secret, anybody could sign.
def secrets_of(setting)
  setting.split(",").map(&:strip).reject(&:empty?)
end

# Lines of time, secrets, header and body (both in base64): says of each whether it is genuine.
def check_vectors
  $stdin.each_line(chomp: true) do |line|
    now, secrets, header, body = line.split("\t", -1)
    genuine = genuine?(Base64.decode64(header), Base64.decode64(body), secrets_of(secrets), now.to_i)
    puts genuine ? "genuine" : "refused"
  end
end

def serve(secrets, port)
  abort "SIGNING_SECRETS is missing: the signing secret of the account" if secrets.empty?
  require "webrick"
  work = Queue.new
  seen = Set.new # in your database: a unique key, inserted in the transaction that stores the event
  lock = Mutex.new
  Thread.new do
    while (event = work.pop)
      puts "handled #{event['event']} #{event['tradeSessionId']}"
    end
  end
  quiet = { Logger: WEBrick::Log.new(File::NULL), AccessLog: [] }
  server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: port, **quiet)
  server.mount_proc "/" do |request, response|
    raw_body = request.body.to_s
    unless genuine?(request["X-Service-Signature"], raw_body, secrets, Time.now.to_i)
      response.status = 400
      next
    end
    event = JSON.parse(raw_body)
    key = [event["tradeSessionId"] || request["X-Service-Event-Id"], event["event"]]
    work << event if lock.synchronize { seen.add?(key) }
    response.status = 204
  end
  server.start
end

$stdout.sync = true
if ARGV == ["--check"]
  check_vectors
else
  serve(secrets_of(ENV.fetch("SIGNING_SECRETS", "")), Integer(ENV.fetch("PORT", "4000")))
end
