import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Receives webhooks: verifies each one, answers at once, handles each event once. Java 17, no dependency.
 *
 *     SIGNING_SECRETS=whsec_… java Receiver.java
 *
 * While you change over to a new secret, give both, separated by a comma.
 */
public final class Receiver {
    private static final long WINDOW_SECONDS = 300;

    /** True when one of the signatures fits these very bytes, and the timestamp is at most five minutes off. */
    static boolean isGenuine(String header, byte[] rawBody, List<String> secrets, long now)
            throws GeneralSecurityException {
        String timestamp = "";
        List<byte[]> given = new ArrayList<>();
        for (String field : (header == null ? "" : header).split(",")) {
            String[] parts = field.strip().split("=", 2);
            if (parts.length < 2) continue;
            if (parts[0].equals("t") && timestamp.isEmpty()) timestamp = parts[1];
            else if (parts[0].equals("v1")) given.add(parts[1].getBytes(StandardCharsets.UTF_8));
        }
        if (!timestamp.matches("[0-9]{1,12}") || Math.abs(now - Long.parseLong(timestamp)) > WINDOW_SECONDS) return false;
        boolean genuine = false;
        for (String secret : secrets) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
            byte[] expected = HexFormat.of().formatHex(mac.doFinal(rawBody)).getBytes(StandardCharsets.UTF_8);
            for (byte[] signature : given) genuine |= MessageDigest.isEqual(expected, signature);
        }
        return genuine;
    }

    /** What is left of a setting: with an empty secret, anybody could sign. */
    private static List<String> secretsOf(String setting) {
        return Stream.of(setting.split(",")).map(String::strip).filter(secret -> !secret.isEmpty()).toList();
    }

    /** In your database: a unique key, inserted in the transaction that stores the event. */
    private static final Set<List<String>> SEEN = ConcurrentHashMap.newKeySet();
    private static final ExecutorService WORK = Executors.newSingleThreadExecutor();

    /** A field of the body, which is flat. Take your JSON library instead: the JDK has none. */
    private static String text(String body, String field) {
        Matcher found = Pattern.compile("\"" + field + "\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(body);
        return found.find() ? found.group(1) : null;
    }

    private static int receive(HttpExchange exchange, List<String> secrets)
            throws IOException, GeneralSecurityException {
        byte[] rawBody = exchange.getRequestBody().readAllBytes();
        String header = exchange.getRequestHeaders().getFirst("X-Service-Signature");
        if (!isGenuine(header, rawBody, secrets, System.currentTimeMillis() / 1000)) return 400;
        String body = new String(rawBody, StandardCharsets.UTF_8);
        String event = text(body, "event");
        String trade = text(body, "tradeSessionId");
        String subject = trade != null ? trade : exchange.getRequestHeaders().getFirst("X-Service-Event-Id");
        if (SEEN.add(List.of(subject, event))) WORK.submit(() -> System.out.println("handled " + event + " " + subject));
        return 204;
    }

    private static void serve(List<String> secrets, int port) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/", exchange -> {
            int status = 500;
            try {
                status = receive(exchange, secrets);
            } catch (GeneralSecurityException | RuntimeException error) {
                System.err.println(error);
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }

    /** Lines of time, secrets, header and body (both in base64): says of each whether it is genuine. */
    private static void checkVectors() throws IOException, GeneralSecurityException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Base64.Decoder base64 = Base64.getDecoder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] fields = line.split("\t", -1);
            String header = new String(base64.decode(fields[2]), StandardCharsets.UTF_8);
            List<String> secrets = secretsOf(fields[1]);
            boolean genuine = isGenuine(header, base64.decode(fields[3]), secrets, Long.parseLong(fields[0]));
            System.out.println(genuine ? "genuine" : "refused");
        }
    }

    public static void main(String[] args) throws IOException, GeneralSecurityException {
        if (args.length > 0 && args[0].equals("--check")) {
            checkVectors();
            return;
        }
        List<String> secrets = secretsOf(System.getenv().getOrDefault("SIGNING_SECRETS", ""));
        if (secrets.isEmpty()) {
            System.err.println("SIGNING_SECRETS is missing: the signing secret of the account");
            System.exit(1);
        }
        serve(secrets, Integer.parseInt(System.getenv().getOrDefault("PORT", "4000")));
    }
}
